# Everything comes from Debian 12 by name; see the package list in ./x.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(GTest REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)

# Warnings for own code only; libraries come in as SYSTEM.
add_library(waybill_warnings INTERFACE)
target_compile_options(waybill_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<BOOL:${WAYBILL_WERROR}>:-Werror>)

# The bodies of Asio and Beast, compiled once. The defines are PUBLIC: every user must agree on them.
add_library(waybill_asio STATIC ${CMAKE_CURRENT_LIST_DIR}/asio_impl.cc)
target_compile_definitions(waybill_asio PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(waybill_asio PUBLIC Boost::headers Threads::Threads OpenSSL::SSL OpenSSL::Crypto)
