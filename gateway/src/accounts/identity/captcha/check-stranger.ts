/**
 * Checks of strangers where guessing or flooding pays: a captcha where a service is switched on,
 * else proof of work, else nothing. While the service gives no verdicts, proof of work takes its
 * place (docs/decisions/0085).
 */
import type { CaptchaService, CaptchaTask } from "@tollgate/contract/accounts/captcha.ts";
import { enforceLimit } from "../../../http/rate-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { rateLimitSource } from "../../../http/request-head.ts";
import type { WorkDemand } from "../../../http/require-work.ts";
import type { WorkPurpose } from "../../../http/work-rules.ts";
import type { Counters } from "../../../limits/counters.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { captchaOptions, findCaptchaService } from "../../../settings/captcha-options.ts";
import { type OptionReader, openSecret } from "../../../settings/live-options.ts";
import { isCaptchaToken } from "./captcha-rules.ts";
import type { VerifyCaptcha } from "./verify-captcha.ts";

export interface StrangerCheckDeps {
  work: WorkDemand;
  verifyCaptcha: VerifyCaptcha;
  counters: Counters;
  options: OptionReader;
  seal: Sealer;
  publicUrl: string | undefined;
  /** A service that gave no verdict, or a token from elsewhere, is for the operator to know. */
  onFailure(service: CaptchaService, reason: string): void;
}

export type StrangerCheck = ReturnType<typeof createStrangerCheck>;

/** A second of a phone's time: what takes the place of a captcha must not be nothing. */
const bitsInOutage = 18;
/** Each makes a request to the service, also for a sign-in that counts as no attempt yet. */
const verifications = { limit: 30, windowMs: 10 * 60_000 };

export function createStrangerCheck(deps: StrangerCheckDeps) {
  const { work, verifyCaptcha, counters, options, seal, publicUrl, onFailure } = deps;
  const bitsAsked = () => options.number("ProofOfWorkBits");
  const hostnames = () =>
    [publicUrl ?? "", options.text("ServerAddress")].flatMap(
      (url) => URL.parse(url)?.hostname ?? [],
    );

  /** True for a token that passed, and false without a verdict; throws the refusal of any other. */
  async function passesCaptcha(
    task: CaptchaTask,
    { captchaToken, address }: RequestContext,
  ): Promise<boolean> {
    if (captchaToken === undefined) throw refuse("captcha_required", { data: task });
    if (!isCaptchaToken(captchaToken)) throw refuse("captcha_refused", { data: task });
    await enforceLimit(counters, { ...verifications, name: `captcha ${rateLimitSource(address)}` });
    const { service, action } = task;
    const names = captchaOptions[service];
    const verdict = await verifyCaptcha({
      service,
      action,
      hostnames: hostnames(),
      siteKey: options.text(names.siteKey),
      secret: openSecret(options, seal, names.secret),
      token: captchaToken,
    });
    if (verdict === "passed") return true;
    if (verdict === "expired") throw refuse("captcha_expired", { data: task });
    const isSilent = "silent" in verdict;
    const reason = isSilent ? verdict.silent : verdict.refused;
    onFailure(service, reason);
    if (isSilent) return false;
    throw refuse("captcha_refused", {
      message: `The captcha was not accepted: ${reason}`,
      data: task,
    });
  }

  return {
    isOn: (): boolean => bitsAsked() > 0 || findCaptchaService(options) !== undefined,

    /** Refuses a stranger's call that shows nothing; the refusal holds the task. */
    async of(action: WorkPurpose, call: RequestContext): Promise<void> {
      if (call.principal) return;
      const service = findCaptchaService(options);
      const bits = service ? Math.max(bitsAsked(), bitsInOutage) : bitsAsked();
      if (bits === 0) return;
      // Beside a captcha, work is asked for in an outage alone: there are no tasks to do instead of
      // it.
      if (await work.isDone(action, bits, call)) return;
      if (service && (await passesCaptcha({ service, action }, call))) return;
      throw work.task(action, bits, call);
    },
  };
}
