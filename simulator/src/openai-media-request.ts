/** The request of a media endpoint of OpenAI, as the answers read it. */
import { fnv1a, type SimulatedRequest } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

export type MediaFields = Readonly<Record<string, unknown>>;

/** A parsed request. */
export type MediaRequest = { fields: MediaFields; model: string; createdSeconds: number };

export const textOf = (fields: MediaFields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

export const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length;

export const badRequest = (message: string): InvalidRequestError =>
  new InvalidRequestError({ status: 400, message });

export const usageUnless = (isHidden: boolean | undefined, usage: unknown) =>
  isHidden ? {} : { usage };

export const requestAbout = (model: string, file: Buffer): SimulatedRequest => ({
  model,
  messages: [{ role: "user", text: String(fnv1a(file.toString("latin1"))), images: 0 }],
  tools: [],
  choices: 1,
  maxTokens: undefined,
  stream: false,
  wantsUsage: true,
});
