case when length(cast(j.context as blob)) > 16384
  then '{"$truncated":' || length(cast(j.context as blob)) || '}' else j.context end
