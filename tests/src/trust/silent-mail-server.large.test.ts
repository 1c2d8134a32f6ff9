// A mail server that says nothing, in front of a gateway that wants to send.
import { setTimeout as pause } from "node:timers/promises";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { expect, test } from "vitest";
import { startChaosProxy } from "../harness/chaos-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { startTestGateway } from "../harness/test-gateway.ts";

test("a mail server that accepts the connection and stays silent delays no request", {
  tags: ["FT-29"],
  timeout: 60_000,
}, async () => {
  const mute = await startChaosProxy();
  mute.connectionPolicy = "silence";
  const own = await startTestGateway({
    env: {
      SMTP_URL: `smtp://${mute.host}?from=gateway@example.org`,
      PUBLIC_URL: "http://127.0.0.1",
      SHUTDOWN_GRACE_SECONDS: "5",
    },
  });
  try {
    await own.api("PUT", "/api/option/", { key: "RegisterEnabled", value: "true" });
    const ask = async () => {
      const response = await fetch(`${own.url}/api/verification`, {
        method: "POST",
        headers: { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value },
        body: JSON.stringify({ email: "mira@example.org" }),
      });
      return { status: response.status, ...((await response.json()) as { success: boolean }) };
    };
    const answer = await Promise.race([ask(), pause(8_000).then(() => "still waiting")]);
    expect(answer).toMatchObject({ status: 200, success: true });
    await eventually(() => expect(mute.connections).toBeGreaterThan(0));
    expect((await fetch(`${own.url}/readyz`)).status).toBe(200);
  } finally {
    // Ends the connections that still wait.
    mute.resetConnections();
    await own.close();
    await mute.close();
  }
});
