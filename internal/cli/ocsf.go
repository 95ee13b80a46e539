package cli

import (
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// ocsfVersion is that of the schema, github.com/ocsf/ocsf-schema. An answer is an API Activity (6003) with the profile
// security_control: a call is not a finding, and most calls are harmless.
const ocsfVersion = "1.8.0"

type ocsfEvent struct {
	Metadata     ocsfMetadata   `json:"metadata"`
	CategoryUID  int            `json:"category_uid"`
	CategoryName string         `json:"category_name"`
	ClassUID     int            `json:"class_uid"`
	ClassName    string         `json:"class_name"`
	ActivityID   int            `json:"activity_id"`
	ActivityName string         `json:"activity_name"`
	TypeUID      int            `json:"type_uid"`
	TypeName     string         `json:"type_name"`
	SeverityID   int            `json:"severity_id"`
	Severity     string         `json:"severity"`
	Time         int64          `json:"time"` // milliseconds
	Actor        ocsfActor      `json:"actor"`
	API          ocsfAPI        `json:"api"`
	SrcEndpoint  ocsfEndpoint   `json:"src_endpoint"`
	ActionID     int            `json:"action_id"`
	Action       string         `json:"action"`
	Disposition  int            `json:"disposition_id"`
	IsAlert      bool           `json:"is_alert"`
	Policy       *ocsfName      `json:"policy,omitempty"`
	Message      string         `json:"message,omitempty"`
	StatusDetail string         `json:"status_detail,omitempty"`
	Unmapped     map[string]any `json:"unmapped"`
}

type ocsfMetadata struct {
	Version        string   `json:"version"`
	Product        ocsfName `json:"product"`
	Profiles       []string `json:"profiles"`
	UID            string   `json:"uid,omitempty"`
	CorrelationUID string   `json:"correlation_uid,omitempty"`
}

type ocsfName struct {
	Name    string `json:"name"`
	Vendor  string `json:"vendor_name,omitempty"`
	Version string `json:"version,omitempty"`
	Desc    string `json:"desc,omitempty"`
}

type ocsfActor struct {
	AppName string   `json:"app_name"`
	Session *ocsfUID `json:"session,omitempty"`
}

type ocsfAPI struct {
	Operation string   `json:"operation"`
	Request   *ocsfUID `json:"request,omitempty"`
}

type ocsfUID struct {
	UID string `json:"uid"`
}

type ocsfEndpoint struct {
	Service string `json:"svc_name"`
}

func ocsfLine(e audit.Entry) string { return printable.JSON(ocsfOf(e)) + "\n" }

func ocsfOf(e audit.Entry) ocsfEvent {
	agent, operation := orUnknown(e.Agent), orUnknown(toolOf(e))
	o := ocsfEvent{
		Metadata: ocsfMetadata{Version: ocsfVersion, Product: ocsfName{Name: "nod", Vendor: "nodgate", Version: e.Nod},
			Profiles: []string{"security_control"}, UID: e.ID, CorrelationUID: e.Session},
		CategoryUID: 6, CategoryName: "Application Activity", ClassUID: 6003, ClassName: "API Activity",
		Time: e.Time.UnixMilli(), Actor: ocsfActor{AppName: agent, Session: ocsfUIDOf(e.Session)},
		API: ocsfAPI{Operation: operation, Request: ocsfUIDOf(e.CallID)}, SrcEndpoint: ocsfEndpoint{Service: agent},
		Message: printableLines(callOf(e)), StatusDetail: printableLines(why(e)),
		Unmapped: map[string]any{"kind": e.Kind, "verdict": e.Verdict, "answered": e.Answered, "layer": e.Layer,
			"dir": e.Dir, "input_sha256": e.InputSHA256, "latency_us": e.Latency},
	}
	if e.Rule != nil {
		o.Policy = &ocsfName{Name: e.Rule.Text, Desc: e.Rule.Origin}
	}
	o.act(e)
	o.answer(e)
	return o
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return printable.Text(text)
}

func ocsfUIDOf(id string) *ocsfUID {
	if id == "" {
		return nil
	}
	return &ocsfUID{printable.Text(id)}
}

// act says what the call would do, as far as its tool says so.
func (o *ocsfEvent) act(e audit.Entry) {
	activity := "Other"
	switch o.ActivityID = 99; e.Tool {
	case "read_file", "read_many_files", "grep", "glob", "lsp":
		o.ActivityID, activity = 2, "Read"
	case "file_write", "file_edit", "notebook_edit", "apply_patch":
		o.ActivityID, activity = 3, "Update"
	}
	o.TypeUID, o.TypeName = o.ClassUID*100+o.ActivityID, o.ClassName+": "+activity
	if o.ActivityName = activity; activity == "Other" {
		o.ActivityName = orUnknown(e.Tool)
	}
}

// answer says what nod, or the host, did about it.
func (o *ocsfEvent) answer(e audit.Entry) {
	const allowed, blocked, challenge, logged = 1, 2, 23, 17 // dispositions
	switch o.SeverityID, o.Severity = 1, "Informational"; told(e) {
	case "allow", "confined":
		o.ActionID, o.Action, o.Disposition = 1, "Allowed", allowed
	case "deny":
		o.ActionID, o.Action, o.Disposition, o.IsAlert = 2, "Denied", blocked, true
		o.SeverityID, o.Severity = 3, "Medium"
	case "ask":
		o.ActionID, o.Action, o.Disposition = 99, "ask", challenge
		o.SeverityID, o.Severity = 2, "Low"
	default:
		o.ActionID, o.Action, o.Disposition = 3, "Observed", logged
	}
}
