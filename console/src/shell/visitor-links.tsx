import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ButtonLink } from "../ui/button.tsx";
import { hasLongWords } from "./long-words.ts";
import { useSignInOptions } from "./use-sign-in-options.ts";

/**
 * `VisitorLinks` shows one link on a phone where both do not fit: registration is then reached
 * through the sign-in page.
 */
export function VisitorLinks() {
  const { i18n } = useLingui();
  const { register } = useSignInOptions();
  return (
    <>
      {register !== undefined && (
        <ButtonLink
          to={register}
          variant="ghost"
          size="sm"
          className={clsx(hasLongWords(i18n.locale) && "max-sm:hidden")}
        >
          <Trans>Register</Trans>
        </ButtonLink>
      )}
      <ButtonLink to="/login" variant="ghost" size="sm">
        <Trans>Login</Trans>
      </ButtonLink>
    </>
  );
}
