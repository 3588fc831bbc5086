# The same with the lines that look right picked first. It is fast, and loses
# those that escape < or do not begin with "type".
LC_ALL=C grep -aF '{"type":"assistant"' |
LC_ALL=C grep -aF -e '<jackin:' -e '<multicode:' |
jq -r 'select(.type == "assistant").message.content[] | select(.type == "text").text' |
LC_ALL=C grep -aoP '<((?:jackin|multicode):[a-z][a-z0-9_-]*)>.*?</\1>'
