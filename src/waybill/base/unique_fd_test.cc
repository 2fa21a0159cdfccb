#include "waybill/base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace waybill {
namespace {

// A pipe says whether the last writer is gone: then a read answers 0 at once.
bool is_written_to(const Pipe& pipe) {
  EXPECT_EQ(::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK), 0);
  char byte = 0;
  return ::read(pipe.read.get(), &byte, 1) < 0;
}

TEST(UniqueFd, ClosesWhatItOwns) {
  Pipe pipe;
  ASSERT_TRUE(make_pipe(pipe));
  {
    const UniqueFd owner(pipe.write.release());
    EXPECT_FALSE(pipe.write.ok());
    EXPECT_TRUE(owner.ok());
    EXPECT_TRUE(is_written_to(pipe));
  }
  EXPECT_FALSE(is_written_to(pipe));
}

TEST(UniqueFd, AMoveTakesTheOwnershipAlong) {
  Pipe first;
  Pipe second;
  ASSERT_TRUE(make_pipe(first) && make_pipe(second));
  UniqueFd owner(std::move(first.write));
  EXPECT_FALSE(first.write.ok());  // NOLINT(bugprone-use-after-move): what is left of it is the question
  EXPECT_TRUE(is_written_to(first));
  owner = std::move(second.write);
  EXPECT_FALSE(is_written_to(first));
  EXPECT_TRUE(is_written_to(second));
  owner.reset();
  EXPECT_FALSE(owner.ok());
  EXPECT_FALSE(is_written_to(second));
}

TEST(Pipe, IsClosedByAnExec) {
  Pipe pipe;
  ASSERT_TRUE(make_pipe(pipe));
  for (const UniqueFd* end : {&pipe.read, &pipe.write}) EXPECT_EQ(::fcntl(end->get(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace waybill
