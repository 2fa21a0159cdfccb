select * from ({stream}) u{n}
