/** The first start on an empty database, as its first clients see it. */
import { expect, test } from "vitest";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";

test("no request of a first start is answered before root can sign in", async () => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const starting = startGatewayProcess({ env: { PORT: port, INITIAL_ROOT_PASSWORD: "correct horse" } });
  try {
    // Refused until the port is bound; from then on the request waits.
    const answered = await eventually(() => fetch(`${url}/api/status`), { everyMs: 1 });
    expect(answered.status).toBe(200);
    const root = await signInSession(
      sendTo(() => url),
      "root",
      "correct horse",
    );
    expect(await root.data("GET", "/api/user/self")).toMatchObject({ role: 100 });
  } finally {
    await (await starting).stop();
  }
});
