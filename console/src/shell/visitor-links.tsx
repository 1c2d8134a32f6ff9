import { Trans } from "@lingui/react/macro";
import { ButtonLink } from "../ui/button.tsx";
import { useSignInOptions } from "./use-sign-in-options.ts";

export function VisitorLinks() {
  const { register } = useSignInOptions();
  return (
    <>
      {register !== undefined && (
        <ButtonLink to={register} variant="ghost" size="sm">
          <Trans>Register</Trans>
        </ButtonLink>
      )}
      <ButtonLink to="/login" variant="ghost" size="sm">
        <Trans>Login</Trans>
      </ButtonLink>
    </>
  );
}
