/** Types of the provider's last version that still knows plain PKCE: as far as the tests go, those of the current one. */
declare module 'oidc-provider-8' {
  export { default } from 'oidc-provider';
}
