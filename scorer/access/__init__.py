"""Who may enter: bearer tokens, TLS and client certificates, for every endpoint alike."""
