#include <iostream>
#include <string>
#include <string_view>

#include "waybill/template/vector_runner.h"

// Reads vectors and prints those that come out differently here, with the difference: also where only the
// message of an error differs.
namespace {

// What is refused when a template is loaded, though Go would run it, is no difference.
bool is_refused_at_load(const std::string& failure) {
  for (const std::string_view reason : {" is no namespace; ", " has no field ", " is a complex number, "}) {
    if (failure.starts_with("refused") && failure.find(reason) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

int main() {
  std::string line;
  int differences = 0;
  while (std::getline(std::cin, line)) {
    const auto outcome = waybill::gotemplate::run_vector(line);
    const bool other_words = outcome.has_message && !outcome.message_is_equal;
    if (!other_words && (outcome.failure.empty() || is_refused_at_load(outcome.failure))) continue;
    ++differences;
    std::cout << line << "\n  " << (other_words ? "message: " + outcome.message : outcome.failure) << "\n";
  }
  return differences == 0 ? 0 : 1;
}
