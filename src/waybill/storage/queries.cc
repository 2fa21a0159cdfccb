#include "waybill/storage/queries.h"

#include <algorithm>

namespace waybill::storage {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "claim.postgres.sql" is "claim" in PostgreSQL's dialect, "claim.sql" is "claim" in both.
bool take_name(std::string_view file, Dialect dialect, std::string& name) {
  std::string_view stem = file.substr(0, file.size() - std::string_view(".sql").size());
  const std::size_t dot = stem.find('.');
  if (dot != std::string_view::npos) {
    if (stem.substr(dot + 1) != (dialect == Dialect::kSqlite ? "sqlite" : "postgres")) return false;
    stem = stem.substr(0, dot);
  }
  name = stem;
  return true;
}

std::string without_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!line.starts_with("--")) out += std::string(line) + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

Statement to_statement(std::string_view sql, Dialect dialect) {
  Statement out;
  bool quoted = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (c == '\'') quoted = !quoted;
    const bool named =
        !quoted && c == ':' && i + 1 < sql.size() && is_word(sql[i + 1]) && (i == 0 || sql[i - 1] != ':');
    if (!named) {
      out.sql += c;
      continue;
    }
    std::size_t end = i + 1;
    while (end < sql.size() && is_word(sql[end])) ++end;
    const std::string name(sql.substr(i + 1, end - i - 1));
    auto place = std::find(out.names.begin(), out.names.end(), name);
    if (place == out.names.end()) place = out.names.insert(place, name);
    out.sql += (dialect == Dialect::kSqlite ? '?' : '$') + std::to_string(place - out.names.begin() + 1);
    i = end - 1;
  }
  return out;
}

Queries::Queries(Dialect dialect) : dialect_(dialect) {
  for (const SqlFile& file : query_files()) {
    std::string name;
    if (take_name(file.name, dialect, name)) files_[name] = without_comments(file.text);
  }
  for (const auto& [name, body] : files_) {
    if (!name.starts_with("part_") && !name.starts_with("script_"))
      statements_[name] = to_statement(fill(body, {}), dialect);
  }
}

const Statement* Queries::find(const std::string& name) const {
  const auto found = statements_.find(name);
  return found == statements_.end() ? nullptr : &found->second;
}

std::string Queries::text(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? std::string() : fill(found->second, {});
}

std::string Queries::fill(std::string_view text,
                          const std::unordered_map<std::string, std::string>& values) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    if (text.empty()) break;
    const std::string name(text.substr(1, close == std::string_view::npos ? 0 : close - 1));
    const auto value = values.find(name);
    const auto file = files_.find(name);
    if (value != values.end()) {
      out += value->second;
    } else if (file != files_.end()) {
      out += fill(file->second, values);
    } else {
      out += '{';  // not ours: a brace of JSON
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(close + 1);
  }
  return out;
}

std::vector<std::string> Queries::names() const {
  std::vector<std::string> out;
  for (const auto& [name, statement] : statements_) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace waybill::storage
