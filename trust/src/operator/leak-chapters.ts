/** Secrets in the wrong hands: a provider that revokes its key, and an API key that leaks. */

import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { model } from "@tollgate/tests/harness/test-gateway.ts";
import type { OperatorChapter } from "./operator-chapter.ts";
import { providerKeys } from "./operator-site.ts";

/** A second channel answers at once; nobody has to be awake. */
export const revokeProviderKey: OperatorChapter = {
  title: "a provider key that is revoked",
  async play(site) {
    const root = await site.root();
    const second = {
      ...{ name: "second", type: 1, key: providerKeys.second, group: "default", models: model },
      base_url: site.simulator.url,
      model_configs: JSON.stringify({ [model]: { ratio: 1, completion_ratio: 4 } }),
    };
    await root.data("POST", "/api/channel/", second);
    await site.simulator.script(providerKeys.first, "fail-401");
    try {
      for (let calls = 0; calls < 20; calls += 1) await site.caller.nextAnswer();
    } finally {
      await site.simulator.script(providerKeys.first, "ok");
    }
  },
};

/** The key's own budget bounds the damage; disabling it ends the damage at once. */
export const leakKey: OperatorChapter = {
  title: "an API key that leaks",
  async play(site) {
    const root = await site.root();
    const { key, id } = await root.data<{ key: string; id: number }>("POST", "/api/token/", {
      ...{ name: "leaked", remain_quota: 500, unlimited_quota: false, expired_time: -1 },
    });
    const stolen: number[] = [];
    for (let calls = 0; calls < 20; calls += 1) stolen.push(await site.call(key));
    const spent = stolen.filter((status) => status === 200).length;
    if (spent === 0 || spent > 9) throw new Error(`the thief made ${spent} calls with 500 units`);
    await root.data("PUT", "/api/token/", { id, remain_quota: 5_000 });
    await eventually(async () => {
      if ((await site.call(key)) !== 200) throw new Error("the key has no quota yet");
    });
    await root.data("PUT", "/api/token/?status_only=1", { id, status: 2 });
    const status = await site.call(key);
    if (status === 200) throw new Error("a disabled key still calls");
    await site.caller.nextAnswer();
  },
};
