# A CI log: timestamps and colours off, then ripgrep.
LC_ALL=C sed -E "s/^[0-9-]+T[0-9:.]+Z //; s/$(printf '\033')\[[0-9;]*[A-Za-z]//g" |
rg -oN '<(?:jackin|multicode):[a-z][a-z0-9_-]*>.*?</(?:jackin|multicode):[a-z][a-z0-9_-]*>' -
