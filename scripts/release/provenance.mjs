// Whether a release can be published with provenance (a signed statement of which commit and which workflow built it),
// and with which arguments. npm signs it with a token of the CI that says who it is; no secret of ours is in it. Pure.

/** `env`: the environment of the process. `manifest`: package.json. */
export function provenanceOf(env, manifest) {
  const hasToken =
    Boolean(env.ACTIONS_ID_TOKEN_REQUEST_URL && env.ACTIONS_ID_TOKEN_REQUEST_TOKEN) ||
    Boolean(env.GITLAB_CI && env.SIGSTORE_ID_TOKEN);
  if (!hasToken)
    return {
      isPossible: false,
      why: "There is no CI here that offers an identity token (GitHub Actions with id-token: write, or GitLab CI with SIGSTORE_ID_TOKEN), so nobody could check who built this package.",
    };
  if (!manifest.repository)
    return {
      isPossible: false,
      why: 'package.json has no "repository": the registry compares it with the repository of the CI and would refuse the statement.',
    };
  return { isPossible: true };
}

/** The words behind `npm`. */
export function publishArguments(tarball, { isPossible }, version) {
  const tag = version.includes("-") ? ["--tag", "next"] : [];
  return ["publish", tarball, "--access", "public", ...tag, ...(isPossible ? ["--provenance"] : [])];
}
