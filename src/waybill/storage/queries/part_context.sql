j.context
