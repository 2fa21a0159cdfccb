# cmake -DOUT=file.cc -DFUNCTION=name -DFILES=a.sql,b.sql -P embed_sql.cmake
# Writes a C++ file whose FUNCTION answers the texts of FILES, so that the program needs no files at run time.
string(REPLACE "," ";" FILES "${FILES}")
set(body "// Made by embed_sql.cmake. Don't edit.\n#include \"waybill/storage/queries.h\"\n\n")
string(APPEND body "namespace waybill::storage {\n\nconst std::vector<SqlFile>& ${FUNCTION}() {\n")
string(APPEND body "  static const auto& files = *new std::vector<SqlFile>{\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND body "      {\"${name}\", R\"sql(${text})sql\"},\n")
endforeach()
string(APPEND body "  };\n  return files;\n}\n\n}  // namespace waybill::storage\n")
file(WRITE ${OUT} "${body}")
