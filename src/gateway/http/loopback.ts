// Whether only programs on this machine can reach an address: what asks for no key may listen there alone.

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}
