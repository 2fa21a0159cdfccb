module waybill/tools/unicode_tables

go 1.21
