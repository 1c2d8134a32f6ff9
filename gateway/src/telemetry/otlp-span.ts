/** Spans as OTLP has them in JSON. */
import { type AttributeKey, attributeNames, type NamingColumn } from "./gen-ai-names.ts";

type OtlpValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean };

export interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

/** A span as OTLP writes it in JSON: ids in hexadecimal, 64-bit numbers as text. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  events?: { name: string; timeUnixNano: string }[];
  status?: { code: number };
}

export function listAttributes(
  values: Partial<Record<AttributeKey, string | number | boolean | undefined>>,
  column: NamingColumn,
): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key: attributeNames[key as AttributeKey][column], value: buildOtlpValue(value) }],
  );
}

export function buildOtlpValue(value: string | number | boolean): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Milliseconds as the nanoseconds of OTLP, which exceed what a number holds. */
export const formatNanos = (ms: number): string => `${Math.trunc(ms)}000000`;
