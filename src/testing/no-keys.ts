// Tests never read provider keys: they are removed before any test file is loaded.
for (const name of Object.keys(process.env)) {
  if (/_(API_KEY|BASE_URL)$/.test(name)) delete process.env[name];
}
