"""The rules of the house, first against this repository, then against trees that break them."""
import pathlib

import pytest

import house

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def repository():
    tree = house.repository(ROOT)
    assert "src/waybill/base/status.h" in tree, "the sources were not found"
    return tree


@pytest.mark.parametrize("rule", house.RULES, ids=lambda rule: rule.__name__)
def test_the_repository_keeps_the_rule(repository, rule):
    complaints = list(rule(repository))
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize("rule, path, text, complaint", [
    (house.arrows_that_point_up, "src/waybill/domain/job.h", '#include "waybill/engine/submit.h"\n',
     "domain may not include engine"),
    (house.arrows_that_point_up, "src/waybill/base/x.h", '\n#  include <waybill/domain/job.h>\n',
     "x.h:2: base may not include domain"),
    (house.arrows_that_point_up, "src/waybill/api/rest/x.cc", '#include "waybill/cli/client.h"\n',
     "api may not include cli"),
    (house.arrows_that_point_up, "src/waybill/utils/x.h", "#pragma once\n", "is no room"),
    (house.arrows_that_point_up, "src/waybill/app/x.cc", '#include "waybill/attic/y.h"\n', "is no room"),
    (house.impure_decisions, "src/waybill/domain/x.h", "#include <boost/asio/post.hpp>\n", "is pure"),
    (house.impure_decisions, "src/waybill/template/x.cc", "#include <thread>\n", "is pure"),
    (house.headers_without_guard, "src/waybill/base/x.h", "int x;\n", "#pragma once"),
    (house.long_files, "src/waybill/base/x.cc", "\n" * 451, "451 lines"),
    (house.sql_outside_storage, "src/waybill/engine/x.cc", 'run("select id from jobs where 1=1");\n', "SQL"),
    (house.sql_outside_storage, "src/waybill/api/rest/x.cc", 'auto q = "INSERT INTO jobs values";\n', "SQL"),
    (house.machine_paths, "docs/x.md", "see /" "work/main\n", "somebody's machine"),
    (house.machine_paths, "scripts/x.sh", "cd /tmp/" "h/part\n", "somebody's machine"),
    (house.foreign_words, "docs/x.md", "ask a sub" "agent\n", "not a word"),
    (house.open_ends, "src/waybill/base/x.cc", "// TO" "DO: later\n", "open end"),
    (house.open_ends, "tests/x_test.cc", "GTEST_" "SKIP();\n", "open end"),
    (house.fixed_sleeps_in_tests, "src/waybill/base/x_test.cc", "std::this_thread::sleep" "_for(1s);\n", "sleep"),
    (house.fixed_sleeps_in_tests, "tests/integration/test_x.py", "time.sl" "eep(1)\n", "sleep"),
])
def test_a_wrong_tree_is_complained_about(rule, path, text, complaint):
    complaints = list(rule({path: text}))
    assert len(complaints) == 1 and complaint in complaints[0], complaints


@pytest.mark.parametrize("rule, path, text", [
    (house.arrows_that_point_up, "src/waybill/engine/x.cc", '#include "waybill/domain/job.h"\n#include <vector>\n'),
    (house.arrows_that_point_up, "src/waybill/cli/x.cc", '#include "waybill/cli/y.h"\n'),
    (house.impure_decisions, "src/waybill/domain/x_test.cc", "#include <fstream>\n"),
    (house.sql_outside_storage, "src/waybill/storage/x.cc", 'run("select id from jobs where 1=1");\n'),
    (house.sql_outside_storage, "src/waybill/cli/x.cc", '// update jobs set x\n'),
    (house.long_files, "src/waybill/base/x.cc", "\n" * 450),
    (house.fixed_sleeps_in_tests, "src/waybill/base/x.cc", "std::this_thread::sleep" "_for(1s);\n"),
])
def test_a_right_tree_is_not(rule, path, text):
    assert list(rule({path: text})) == []


def test_a_heavy_header_is_found_where_another_folder_includes_it_through_a_third():
    tree = {
        "src/waybill/app/program/main.cc": '#include "waybill/api/rest/server.h"\n',
        "src/waybill/api/rest/server.h": '#include "waybill/api/rest/session.h"\n',
        "src/waybill/api/rest/session.h": "#include <boost/beast/http.hpp>\n",
    }
    assert list(house.heavy_shared_headers(tree)) == [
        "src/waybill/api/rest/session.h:1: other folders include this header, so it may not include boost/beast/http.hpp"]


def test_a_heavy_header_may_stay_within_its_folder():
    tree = {
        "src/waybill/api/rest/server.cc": '#include "waybill/api/rest/session.h"\n',
        "src/waybill/api/rest/session.h": "#include <boost/beast/http.hpp>\n",
    }
    assert list(house.heavy_shared_headers(tree)) == []
