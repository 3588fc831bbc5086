package transcript

import "tagscan/parse/jsonrec"

// A field is a member of a record's top level that some format reads.
type field uint8

const (
	fType field = iota
	fSubtype
	fMessage
	fSessionID // session_id
	fSessionId // sessionId
	fSessionCaps
	fUUID
	fParentUUID
	fParentTool
	fSidechain
	fLeafUUID
	fAgentID
	fMeta
	fSynthetic
	fCompactSummary
	fAPIError
	fToolResult
	fPayload
	fProperties
	fData
	fItem
	fPart
	fThreadID
	fTimestamp
	fTimestampMs
	fModelCallID
	fRole
	fContent
	fEvent
	fResponse
	fStats
	fError
	fErrors
	fMessages
	fMetadata
	fResult
	fExitCode
	fSeverity
	fStatus
	fToolName
	fToolID
	fParameters
	fOutput
	fModel
	fID
	fSnapshot
	fText
	fToolCall
	fCallID
	fSummary
	fPrompt
	fDescription
	fRequest
	fRequestID
	fExtensionID
	fTotalTokens
	fProjectHash
	fSet
	fToolCalls
	nFields
)

// fieldOf is the field of that name, or nFields.
func fieldOf(key []byte) field {
	switch string(key) {
	case "type":
		return fType
	case "subtype":
		return fSubtype
	case "message":
		return fMessage
	case "session_id":
		return fSessionID
	case "sessionId":
		return fSessionId
	case "sessionID":
		return fSessionCaps
	case "uuid":
		return fUUID
	case "parentUuid":
		return fParentUUID
	case "parent_tool_use_id":
		return fParentTool
	case "isSidechain":
		return fSidechain
	case "leafUuid":
		return fLeafUUID
	case "agentId":
		return fAgentID
	case "isMeta":
		return fMeta
	case "isSynthetic":
		return fSynthetic
	case "isCompactSummary":
		return fCompactSummary
	case "isApiErrorMessage":
		return fAPIError
	case "tool_use_result", "toolUseResult":
		return fToolResult
	case "payload":
		return fPayload
	case "properties":
		return fProperties
	case "data":
		return fData
	case "item":
		return fItem
	case "part":
		return fPart
	case "thread_id":
		return fThreadID
	case "timestamp":
		return fTimestamp
	case "timestamp_ms":
		return fTimestampMs
	case "model_call_id":
		return fModelCallID
	case "role":
		return fRole
	case "content":
		return fContent
	case "event":
		return fEvent
	case "response":
		return fResponse
	case "stats":
		return fStats
	case "error":
		return fError
	case "errors":
		return fErrors
	case "messages":
		return fMessages
	case "metadata":
		return fMetadata
	case "result":
		return fResult
	case "exitCode":
		return fExitCode
	case "severity":
		return fSeverity
	case "status":
		return fStatus
	case "tool_name":
		return fToolName
	case "tool_id":
		return fToolID
	case "parameters":
		return fParameters
	case "output":
		return fOutput
	case "model":
		return fModel
	case "id":
		return fID
	case "snapshot":
		return fSnapshot
	case "text":
		return fText
	case "tool_call":
		return fToolCall
	case "call_id":
		return fCallID
	case "summary":
		return fSummary
	case "prompt":
		return fPrompt
	case "description":
		return fDescription
	case "request":
		return fRequest
	case "request_id":
		return fRequestID
	case "extension_id":
		return fExtensionID
	case "total_tokens":
		return fTotalTokens
	case "projectHash":
		return fProjectHash
	case "$set":
		return fSet
	case "toolCalls":
		return fToolCalls
	}
	return nFields
}

const (
	checkNone uint8 = iota
	checkGood
	checkBad
)

// A record is one record's top level, as spans of the line.
type record struct {
	raw  jsonrec.Value
	line int
	f    [nFields]jsonrec.Value
	typ  []byte // what type says
	// id is the record's own id, if the format has one: the same id is the same
	// record.
	id       jsonrec.Value
	check    uint8
	barren   uint8 // whether nothing can be in it
	seen     bool  // there was a record of a known format before this one
	admitted bool
	refused  bool
}

// read walks the top level of v. It is false if v is not well-formed there; what
// is within the members is not looked at.
func (r *record) read(v jsonrec.Value, line int) bool {
	*r = record{raw: v, line: line}
	m := v.Members()
	for m.Next() {
		if f := fieldOf(m.Key); f < nFields {
			r.f[f] = m.Value // of a repeated key the last wins
		}
	}
	if !m.Whole() {
		return false
	}
	r.typ = ident(r.f[fType])
	return true
}

// ok reports whether the record is valid JSON, all of it.
func (r *record) ok() bool {
	if r.check == checkNone {
		r.check = valid(r.raw)
	}
	return r.check == checkGood
}

func valid(v jsonrec.Value) uint8 {
	if jsonrec.Valid(v) {
		return checkGood
	}
	return checkBad
}

func (r *record) has(f field) bool { return r.f[f] != nil }
