include(GoogleTest)

# waybill_module(NAME [FOLDERS sub...] [USES modules...] [LIBRARIES libs...] [TEST_LIBRARIES libs...] [CONCURRENT])
#
# The folder becomes the library waybill_NAME: every .cc of it (and of FOLDERS below it) except tests. Its *_test.cc
# become the program waybill_NAME_tests. USES names other modules (waybill_ is put before them), LIBRARIES outside
# ones. CONCURRENT labels the tests to run under TSan as well.
function(waybill_module name)
  cmake_parse_arguments(arg "CONCURRENT" "" "FOLDERS;USES;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  set(sources)
  set(tests)
  foreach(folder . ${arg_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
    foreach(file ${found})
      if(file MATCHES "_test\\.cc$")
        list(APPEND tests ${file})
      else()
        list(APPEND sources ${file})
      endif()
    endforeach()
  endforeach()
  list(TRANSFORM arg_USES PREPEND waybill_)
  if(sources)
    add_library(waybill_${name} STATIC ${sources})
    target_include_directories(waybill_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(waybill_${name} PUBLIC ${arg_USES} ${arg_LIBRARIES} PRIVATE waybill_warnings)
  else()
    add_library(waybill_${name} INTERFACE)
    target_include_directories(waybill_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(waybill_${name} INTERFACE ${arg_USES} ${arg_LIBRARIES})
  endif()
  if(tests)
    set(labels unit)
    if(arg_CONCURRENT)
      list(APPEND labels concurrent)
    endif()
    waybill_test_program(waybill_${name}_tests "${labels}" SOURCES ${tests}
      LIBRARIES waybill_${name} ${arg_TEST_LIBRARIES})
  endif()
endfunction()

# waybill_test_program(PROGRAM "labels" SOURCES files... LIBRARIES libs...)
# A GoogleTest program whose cases ctest runs one by one from the project's root, under those labels.
function(waybill_test_program program labels)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  # CMake 3.25 takes a list of labels apart on the way to ctest; `ctest -L concurrent` also finds "unit.concurrent".
  string(REPLACE ";" "." labels "${labels}")
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE waybill_warnings ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  gtest_discover_tests(${program} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()
