#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/template/lexer.h"
#include "waybill/template/tree.h"

// Inside of the parser: parser.cc holds tokens and statements, parse_expression.cc the rest.
namespace waybill::gotemplate {

// Each level costs a few stack frames here, in the evaluator and in the destructors.
constexpr int kMostNesting = 400;

// Thrown inside the parser only: a mistake ends the whole parse.
struct Mistake {
  ParseError error;
};

// What every template of one text shares.
struct Shared {
  explicit Shared(std::string_view text) : lexer(text) {}
  Lexer lexer;
  std::unique_ptr<Tree> tree = std::make_unique<Tree>();
  int nesting = 0;
};

// How a list of nodes ended.
struct End {
  bool is_else = false;  // otherwise {{end}}
  std::size_t position = 0;
  [[nodiscard]] std::string_view text() const { return is_else ? "{{else}}" : "{{end}}"; }
};

// Parses one template: the main one, or in turn each {{define}} and {{block}}. The lines of errors depend on
// which tokens have been looked at, so tokens are read and put back exactly as in Go's parser.
class DefinitionParser {
 public:
  DefinitionParser(Shared& shared, std::string name) : shared_(shared), name_(std::move(name)) {}

  void parse_main();

 private:
  // tokens
  Item next();
  Item next_non_space();
  const Item& peek();
  const Item& peek_non_space();
  void back() { ++peek_count_; }
  void back_two(Item first);
  void back_three(Item first, Item second);
  Item expect(Token token, std::string_view context);

  [[noreturn]] void fail(const std::string& message, const Item* culprit = nullptr) const;
  [[noreturn]] void unexpected(const Item& item, std::string_view context) const;

  // statements
  void add(NodeList nodes);
  void parse_definition();
  End parse_list(NodeList& list);
  // The next node; null if it is the {{end}} or {{else}} that `end` then holds.
  NodePtr parse_node(End& end);
  NodePtr parse_action(End& end);
  NodePtr parse_block();
  NodePtr parse_loop_exit(const Item& keyword, NodeKind kind, std::string_view what);
  NodePtr parse_branch(NodeKind kind, std::string_view context);
  NodePtr parse_template();
  End parse_else();
  std::string parse_name(const Item& item, std::string_view context) const;

  // expressions
  std::unique_ptr<PipeNode> parse_pipe(std::string_view context, Token end);
  void parse_variables(PipeNode& pipe, std::string_view context);
  void check_pipe(const PipeNode& pipe, std::string_view context) const;
  std::unique_ptr<CommandNode> parse_command();
  NodePtr parse_operand();
  NodePtr parse_fields(NodePtr term, std::size_t start);
  NodePtr parse_term();
  NodePtr parse_number_node(const Item& item) const;
  std::string unquote(const Item& item) const;

  // One level deeper for as long as it lives.
  struct Nested {
    explicit Nested(DefinitionParser& p) : parser(p) {
      if (++parser.shared_.nesting > kMostNesting) parser.fail("max expression depth exceeded");
    }
    ~Nested() { --parser.shared_.nesting; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    DefinitionParser& parser;
  };

  Shared& shared_;
  std::string name_;
  std::array<Item, 3> items_;
  int peek_count_ = 0;
  std::vector<std::string> variables_ = {"$"};
  int action_line_ = 0;
  int range_depth_ = 0;
};

}  // namespace waybill::gotemplate
