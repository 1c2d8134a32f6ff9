/** The common parts of the rows for providers of chat completions. */
import { isRecord } from "../wire/json-parts.ts";
import type { ValueRule } from "./value-rule.ts";

const api = "chat_completions";

type CompatibleRow = Omit<ValueRule, "api" | "certainty">;
export const certain = (row: CompatibleRow): ValueRule => ({ ...row, api, certainty: "certain" });
export const clamp = (
  id: string,
  at: NonNullable<ValueRule["at"]>,
  member: string,
  min: number | undefined,
  max: number | undefined,
) =>
  certain({
    id,
    at,
    member,
    refused: [min === undefined ? "" : `below ${min}`, max === undefined ? "" : `above ${max}`]
      .filter(Boolean)
      .join(", "),
    fit: { do: "clamp", ...(min !== undefined && { min }), ...(max !== undefined && { max }) },
    source: "mnfst/modelparams.dev",
  });
export const drop = (
  id: string,
  at: NonNullable<ValueRule["at"]>,
  member: string,
  refused: string,
  source: string,
  models?: RegExp,
) => certain({ id, at, ...(models && { models }), member, refused, fit: { do: "drop" }, source });

export const isForced = (value: unknown): boolean => value === "required" || isRecord(value);
export const penalties = ["presence_penalty", "frequency_penalty"];
