# A line loop that leaves fences out.
LC_ALL=C exec awk '
/^ *(```|~~~)/ { fenced = !fenced; next }
fenced { next }
{
	while (match($0, /<(jackin|multicode):[a-z][a-z0-9_-]*>/)) {
		name = substr($0, RSTART + 1, RLENGTH - 2)
		$0 = substr($0, RSTART + RLENGTH)
		if (end = index($0, "</" name ">")) {
			print name "\t" substr($0, 1, end - 1)
			$0 = substr($0, end + length(name) + 3)
		}
	}
}'
