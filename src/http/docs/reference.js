/* global SwaggerUIBundle */

const darkness = matchMedia('(prefers-color-scheme: dark)')
/** The theme that was chosen in the app, or the system's. */
const chosen = /(?:^|;\s*)pds_theme=(light|dark)(?:;|$)/.exec(document.cookie)?.[1]
if (chosen) document.documentElement.dataset.theme = chosen
const applyTheme = () =>
  document.documentElement.classList.toggle('dark-mode', chosen === undefined ? darkness.matches : chosen === 'dark')
darkness.addEventListener('change', applyTheme)
applyTheme()

/** Replaces components of swagger-ui that are not accessible. */
const makeAccessible = ({ React }) => ({
  components: {
    // Screen readers cannot use a link inside a button. The button alone also updates the address.
    DeepLink: ({ text }) => React.createElement('span', null, text),
    // This select has no label, and there is only one server.
    ServersContainer: () => null,
  },
})

/** Elements that swagger-ui leaves without a label or keyboard focus, and the fix for each. */
const LACKING = [
  ['tr[data-param-name] select', (select) => select.setAttribute('aria-label', select.closest('tr').dataset.paramName)],
  ['textarea.body-param__text', (text) => text.setAttribute('aria-label', 'Request body')],
  ['button.close-modal', (button) => button.setAttribute('aria-label', 'Close')],
  // Its label differs from its visible text.
  ['button.modal-btn[aria-label]', (button) => button.removeAttribute('aria-label')],
  ['pre.microlight:not([tabindex])', (example) => example.setAttribute('tabindex', '0')],
]
const complete = () => {
  for (const [selector, give] of LACKING) for (const found of document.querySelectorAll(selector)) give(found)
}
new MutationObserver(complete).observe(document.getElementById('api'), { childList: true, subtree: true })

/** The key that was typed in the app or in the guide. */
const key = sessionStorage.getItem('parcel-key')

const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  // There are too many operations to read through, so the page begins with their groups.
  docExpansion: 'none',
  validatorUrl: null,
  persistAuthorization: false,
  plugins: [makeAccessible],
  onComplete: () => {
    if (key !== null) ui.preauthorizeApiKey('ServiceKey', key)
  },
})
