package cli

import (
	"cmp"
	"maps"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// object is a JSON object.
type object = map[string]any

// ocsfLine is an entry by the schema of github.com/ocsf/ocsf-schema. An answer is an API Activity (6003) with the
// profile security_control: a call is not a finding, and most calls are harmless.
func ocsfLine(e audit.Entry) string {
	agent := orUnknown(e.Agent)
	o := object{
		"category_uid": 6, "category_name": "Application Activity", "class_uid": 6003, "class_name": "API Activity",
		"metadata": object{"version": "1.8.0", "profiles": []string{"security_control"}, "uid": e.ID,
			"correlation_uid": e.Session, "product": object{"name": "nod", "vendor_name": "nodgate", "version": e.Nod}},
		"time": e.Time.UnixMilli(), "actor": object{"app_name": agent}, "src_endpoint": object{"svc_name": agent},
		"api": object{"operation": orUnknown(toolOf(e))}, "message": printable.Lines(callOf(e)),
		"status_detail": printable.Lines(why(e)),
		"unmapped": object{"kind": e.Kind, "verdict": e.Verdict, "answered": e.Answered, "layer": e.Layer, "dir": e.Dir,
			"call_id": e.CallID, "input_sha256": e.InputSHA256, "latency_us": e.Latency},
	}
	if e.Rule != nil {
		o["policy"] = object{"name": e.Rule.Text, "desc": e.Rule.Origin}
	}
	maps.Copy(o, ocsfActivity(e.Tool))
	maps.Copy(o, ocsfAnswer(told(e)))
	return printable.JSON(o) + "\n"
}

func orUnknown(text string) string { return cmp.Or(printable.Text(text), "unknown") }

// ocsfActivity says what a call would do, as far as its tool says so.
func ocsfActivity(tool string) object {
	id, name, kind := 99, orUnknown(tool), "Other"
	switch tool {
	case "read_file", "read_many_files", "grep", "glob", "lsp":
		id, name, kind = 2, "Read", "Read"
	case "file_write", "file_edit", "notebook_edit", "apply_patch":
		id, name, kind = 3, "Update", "Update"
	}
	return object{"activity_id": id, "activity_name": name, "type_uid": 600300 + id,
		"type_name": "API Activity: " + kind}
}

// ocsfAnswer says what was done about it. The dispositions are Allowed, Blocked, Challenge and Logged.
func ocsfAnswer(told string) object {
	switch told {
	case "allow", "confined":
		return object{"severity_id": 1, "action_id": 1, "action": "Allowed", "disposition_id": 1, "is_alert": false}
	case "deny":
		return object{"severity_id": 3, "action_id": 2, "action": "Denied", "disposition_id": 2, "is_alert": true}
	case "ask":
		return object{"severity_id": 2, "action_id": 99, "action": "ask", "disposition_id": 23, "is_alert": false}
	}
	return object{"severity_id": 1, "action_id": 3, "action": "Observed", "disposition_id": 17, "is_alert": false}
}
