#pragma once

namespace waybill::domain {

// Bounds of what a job chooses for itself and a command for its jobs.
inline constexpr double kLongestTimeout = 10.0 * 366 * 86400;  // seconds; more than ten years is a mistake
inline constexpr int kMostAttempts = 100;

}  // namespace waybill::domain
