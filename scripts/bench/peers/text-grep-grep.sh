# The same, cut down to the lines that matter by a fixed string first.
LC_ALL=C grep -aF -e '<jackin:' -e '<multicode:' |
LC_ALL=C grep -aoP '<((?:jackin|multicode):[a-z][a-z0-9_-]*)>.*?</\1>'
