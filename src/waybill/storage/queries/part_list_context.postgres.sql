case when octet_length(j.context) > 16384
  then '{"$truncated":' || octet_length(j.context) || '}' else j.context end
