#pragma once

#include <string>
#include <utility>

#include "tests/support/cli_run.h"
#include "tests/support/fake_server.h"

namespace waybill::testing {

// Command lines that speak to a scripted server.
struct ScriptedClient : CliRun {
  explicit ScriptedClient(FakeServer::Handler handler) : server(std::move(handler)) {
    variables["WAYBILL_URL"] = server.url();
  }
  FakeServer server;
};

inline FakeServer::Handler answers(int status, std::string body, std::string headers = "") {
  return
      [=](const FakeRequest&, const FakeConnection& connection) { connection.answer(status, body, headers); };
}

}  // namespace waybill::testing
