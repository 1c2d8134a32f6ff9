/** The words for ranges of time, the same on every page. */
import { msg } from "@lingui/core/macro";

export const timeRangeLabels = {
  "15m": msg`Last 15 minutes`,
  "1h": msg`Last hour`,
  "24h": msg`Last 24 hours`,
  today: msg`Today`,
  "7d": msg`Last 7 days`,
  "30d": msg`Last 30 days`,
  "90d": msg`Last 90 days`,
  "365d": msg`Last 365 days`,
  month: msg`This month`,
  "last-month": msg`Last month`,
} as const;
export type TimeRange = keyof typeof timeRangeLabels;
