#include <iostream>
#include <string>

#include "waybill/template/vector_runner.h"

namespace {

// Both ran into their limit of nested templates; where depends on how deep that limit lies.
bool both_nest_too_deeply(const std::string& vector, const std::string& failure) {
  return vector.find("exceeded maximum template depth") != std::string::npos &&
         failure.find("nest deeper than") != std::string::npos;
}

}  // namespace

// Reads vectors and prints those that come out differently here, with the difference: also where only the
// message of an error differs.
int main() {
  std::string line;
  int differences = 0;
  while (std::getline(std::cin, line)) {
    const auto outcome = waybill::gotemplate::run_vector(line);
    const bool other_words = outcome.has_message && !outcome.message_is_equal;
    if (!other_words && (outcome.failure.empty() || waybill::gotemplate::is_refused_at_load(outcome)))
      continue;
    if (both_nest_too_deeply(line, outcome.failure)) continue;
    ++differences;
    std::cout << line << "\n  " << (other_words ? "message: " + outcome.message : outcome.failure) << "\n";
  }
  return differences == 0 ? 0 : 1;
}
