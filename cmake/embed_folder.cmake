# cmake -DFOLDER=dir -DOUTPUT=file.cc -DHEADER=header.h -DNAMESPACE=ns -DFUNCTION=name -P embed_folder.cmake
# Writes a source file whose function answers all files of the folder, as {path in the folder, bytes}. The bytes are
# string literals: those compile in no time, lists of numbers do not. A folder that is not there has no files.
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  file(READ "${FOLDER}/${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  file(SIZE "${FOLDER}/${file}" size)
  string(APPEND rows "      {\"${file}\", {\"${bytes}\", ${size}}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made from a folder of the repository at build time.
#include \"${HEADER}\"\n
#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // both compilers take them much longer\n
namespace ${NAMESPACE} {\n
std::vector<EmbeddedFile> ${FUNCTION}() {
  return {
${rows}  };
}\n
}  // namespace ${NAMESPACE}\n")
