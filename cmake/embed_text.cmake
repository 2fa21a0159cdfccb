# cmake -DINPUT=file -DOUTPUT=file.cc -DHEADER=header.h -DNAMESPACE=ns -DFUNCTION=name -P embed_text.cmake
# Writes a source file whose function answers the file's bytes as a string_view.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
file(WRITE "${OUTPUT}" "// Made from a file of the repository at build time.
#include \"${HEADER}\"\n
namespace ${NAMESPACE} {
namespace {\n
constexpr char kBytes[] = {${bytes}};\n
}  // namespace\n
std::string_view ${FUNCTION}() { return {kBytes, sizeof kBytes}; }\n
}  // namespace ${NAMESPACE}\n")
