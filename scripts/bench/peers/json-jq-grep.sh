# The agent's words by jq, the tags in them by grep.
jq -r 'select(.type == "assistant").message.content[] | select(.type == "text").text' |
LC_ALL=C grep -aoP '<((?:jackin|multicode):[a-z][a-z0-9_-]*)>.*?</\1>'
