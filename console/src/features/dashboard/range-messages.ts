import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { RangeProblem } from "./date-range.ts";

export const rangeMessages: Record<RangeProblem, MessageDescriptor> = {
  incomplete: msg`Choose both dates`,
  order: msg`From date must be before or equal to To date`,
  future: msg`To date cannot be in the future`,
  "too-old-year": msg`From date cannot be more than 1 year ago`,
  "too-long-year": msg`Date range cannot exceed 1 year`,
  "too-old-week": msg`From date cannot be more than 7 days ago`,
  "too-long-week": msg`Date range cannot exceed 7 days`,
};
