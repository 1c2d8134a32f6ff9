import OpenAI from "openai";
import { expect } from "vitest";

/** The error that OpenAI's library throws for a call, without the id of the request. */
export async function openAiFailure(
  call: () => PromiseLike<unknown>,
): Promise<{ status: number | undefined; code: string | null | undefined; message: string }> {
  const error = await Promise.resolve(call()).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof OpenAI.APIError))
    return expect.fail(`an error of OpenAI's library, not ${error}`);
  const { status, code, message } = error;
  return { status, code, message: message.replace(/ \(request id: .*/, "") };
}
