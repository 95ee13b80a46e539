package code

func javascript(source string, env Env) Facts { return Facts{Why: "x"} }
func perl(source string, env Env) Facts       { return Facts{Why: "x"} }
func ruby(source string, env Env) Facts       { return Facts{Why: "x"} }
