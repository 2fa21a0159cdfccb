#include "waybill/domain/link.h"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Links, BeginWithAWholeSchemeInAnyCase) {
  const std::vector<std::string> schemes = {"http", "https"};
  for (const char* link : {"http://", "http://h", "HTTPS://h/", "https://{{"}) {
    EXPECT_TRUE(begins_with_scheme(link, schemes)) << link;
  }
  for (const char* other : {"", "http", "http:", "http:/", "https:", "//h", " http://h", "xhttp://h",
                            "httpss://h", "javascript:1"}) {
    EXPECT_FALSE(begins_with_scheme(other, schemes)) << other;
  }
  EXPECT_FALSE(begins_with_scheme("http://h", {}));
}

TEST(Links, SayHowTheyMayBegin) {
  EXPECT_EQ(link_beginnings({"https"}), "https://");
  EXPECT_EQ(link_beginnings({"http", "https"}), "http:// or https://");
  EXPECT_EQ(link_beginnings({"https", "s3", "gs"}), "https://, s3:// or gs://");
}

}  // namespace
}  // namespace waybill::domain
