# The tags of a text by GNU grep, the closing tag checked against the opening one.
LC_ALL=C exec grep -aoP '<((?:jackin|multicode):[a-z][a-z0-9_-]*)>.*?</\1>'
