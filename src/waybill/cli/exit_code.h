#pragma once

// What `waybill` ends with. Scripts rely on these numbers.
namespace waybill::cli {

inline constexpr int kOk = 0;
inline constexpr int kError = 1;
inline constexpr int kUsage = 2;
inline constexpr int kJobFailed = 3;  // the job failed, was killed or canceled
inline constexpr int kDenied = 4;     // not signed in, or not allowed
inline constexpr int kNotFound = 5;
inline constexpr int kTimeout = 124;
inline constexpr int kInterrupted = 130;

}  // namespace waybill::cli
