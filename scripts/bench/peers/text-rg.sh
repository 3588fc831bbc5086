# The tags of a text by ripgrep alone, which knows no fences.
exec rg -oN '<(?:jackin|multicode):[a-z][a-z0-9_-]*>.*?</(?:jackin|multicode):[a-z][a-z0-9_-]*>' -
