/// The version that `utter --version` tells.
let utterVersion = "0.1.0"

/// When this version was last documented anew, for the manual page.
let utterVersionDate = "2026-11-21"
