/**
 * Files through Google's own Python library, which sends the pieces of an upload without a key, to
 * the address that it was given.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { drive } from "./foreign-clients.ts";
import { officialPythonFiles } from "./foreign-languages.ts";

/** Packages are fetched once on a machine. */
const installWithinMs = 900_000;
const possible = officialPythonFiles.availability();

describe.skipIf(!possible.available)("files of google-genai in Python", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
    await gateway.given.channel({ key: "sim-as-files", type: 24, models: "gemini-m" });
  }, 120_000);
  afterAll(() => gateway.close());

  test("are sent in pieces, read, listed, named in a call and deleted", {
    timeout: installWithinMs,
  }, async () => {
    const command = await officialPythonFiles.install();
    const { key } = await gateway.given.token();
    const job = {
      client: "google-genai",
      url: gateway.url,
      key,
      model: "gemini-m",
      stream: false,
      does: "ask",
    } as const;
    const [reply] = await drive(command, [job]);
    expect(reply).toEqual({
      text: expect.stringMatching(/\w/),
      file: {
        name: "Übersicht – März",
        bytes: 9 * 1024 ** 2,
        isWhole: true,
        isListed: true,
        isGone: true,
      },
    });
  });
});
