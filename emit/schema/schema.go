// Package schema holds the shapes of everything tagscan prints as events: the
// published interface, open to unknown keys, since fields are only ever added.
package schema

import _ "embed"

// JSON is the schema of one line of output, a JSON Schema of draft 2020-12.
//
//go:embed schema.json
var JSON []byte
