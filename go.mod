module tagscan

go 1.26

require (
	github.com/alecthomas/kong v1.17.0
	github.com/itchyny/gojq v0.12.19
	github.com/mattn/go-isatty v0.0.24
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/yuin/goldmark v1.8.7
	golang.org/x/sys v0.38.0
)

require (
	github.com/itchyny/timefmt-go v0.1.8 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
