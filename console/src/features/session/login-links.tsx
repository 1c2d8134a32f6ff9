import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { useSignInOptions } from "../../shell/use-sign-in-options.ts";

const linkStyle = "rounded-sm py-0.5 text-accent underline underline-offset-2";

export function LoginLinks() {
  const { reset, register } = useSignInOptions();
  if (reset === undefined && register === undefined) return null;
  return (
    <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-sm">
      {reset !== undefined && (
        <Link to={reset} className={linkStyle}>
          <Trans>Forgot your password?</Trans>
        </Link>
      )}
      {register !== undefined && (
        <Link to={register} className={linkStyle}>
          <Trans>Sign up</Trans>
        </Link>
      )}
    </div>
  );
}
