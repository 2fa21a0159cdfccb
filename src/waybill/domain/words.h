#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace waybill::domain {

// The words of an enumeration, each value once.
template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
constexpr std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return "";
}

template <class Enum, std::size_t N>
constexpr std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [value, known] : words) {
    if (known == word) return value;
  }
  return std::nullopt;
}

}  // namespace waybill::domain
