#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "waybill/kube/stream_scan.h"
#include "waybill/kube/watch_event.h"

namespace {

using namespace waybill::kube;

constexpr std::size_t kLimit = 300;

// The first byte says where the chunks end.
template <class Splitter, class Each>
void feed(Splitter& splitter, const std::string& text, std::size_t chunk, Each each) {
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    splitter.feed(text.substr(at, chunk));
    if (!each()) return;
  }
}

std::vector<std::string> lines_of(const std::string& text, std::size_t chunk) {
  LineSplitter splitter(kLimit);
  std::vector<std::string> lines;
  feed(splitter, text, chunk, [&] {
    while (const auto piece = splitter.next()) {
      if (piece->text.size() > kLimit || piece->cut != (piece->size > kLimit)) std::abort();
      const WatchLine line = read_watch_line(*piece);
      if (line.kind == WatchLine::Kind::kDeadLetter && !line.received.dead_letter) std::abort();
      if (line.kind == WatchLine::Kind::kEvent && line.version.empty()) std::abort();
      if (line.kind == WatchLine::Kind::kError && line.error.ok()) std::abort();
      lines.emplace_back(piece->text);
    }
    return true;
  });
  return lines;
}

std::vector<std::string> items_of(const std::string& text, std::size_t chunk) {
  ListSplitter splitter(kLimit);
  std::vector<std::string> items;
  feed(splitter, text, chunk, [&] {
    while (true) {
      const auto piece = splitter.next();
      if (!piece.ok()) return false;
      if (!*piece) return true;
      (void)read_piece(**piece, "LISTED");
      items.emplace_back((*piece)->text);
    }
  });
  if (splitter.complete()) items.push_back(splitter.envelope());
  return items;
}

}  // namespace

// The bytes of a watch and of a list: wherever they are split, the same comes out of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t chunk = std::size_t{data[0]} % 64 + 1;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (lines_of(text, chunk) != lines_of(text, text.size() + 1)) std::abort();
  if (items_of(text, chunk) != items_of(text, text.size() + 1)) std::abort();
  return 0;
}
