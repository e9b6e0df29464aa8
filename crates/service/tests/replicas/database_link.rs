//! Connections of one replica to the database server, which a test can cut without closing them.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

/// Forwards connections to the server of the tests; its threads end with the test program.
pub struct DatabaseLink {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

trait Stream: Read + Write + Send {
    fn clone_box(&self) -> Box<dyn Stream>;
    fn close(&self);
}

macro_rules! stream {
    ($($stream:ty),*) => {$(
        impl Stream for $stream {
            fn clone_box(&self) -> Box<dyn Stream> {
                Box::new(self.try_clone().unwrap())
            }

            fn close(&self) {
                let _ = self.shutdown(Shutdown::Both);
            }
        }
    )*};
}
stream!(TcpStream, UnixStream);

impl DatabaseLink {
    /// Starts to forward to the server of a database's address.
    pub fn start(database_url: &str) -> Self {
        let server: PgConnectOptions = database_url.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let link_is_cut = is_cut.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = connect(&server);
                let (from_client, from_server) = (client.clone_box(), server.clone_box());
                forward(from_client, server, link_is_cut.clone());
                forward(from_server, Box::new(client), link_is_cut.clone());
            }
        });
        Self { port, is_cut }
    }

    /// Address of a database by this link.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }

    /// Lets nothing through any more, and closes no connection.
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    /// Lets everything through again, also what was sent meanwhile.
    pub fn restore(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn connect(server: &PgConnectOptions) -> Box<dyn Stream> {
    let (host, port) = (server.get_host(), server.get_port());
    let folder = match server.get_socket() {
        Some(folder) => Some(folder.clone()),
        None => host.starts_with('/').then(|| PathBuf::from(host)),
    };
    match folder {
        Some(folder) => {
            let socket = folder.join(format!(".s.PGSQL.{port}"));
            Box::new(UnixStream::connect(socket).unwrap())
        }
        None => Box::new(TcpStream::connect((host, port)).unwrap()),
    }
}

fn forward(mut from: Box<dyn Stream>, mut to: Box<dyn Stream>, is_cut: Arc<AtomicBool>) {
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(count) = from.read(&mut buffer) {
            while is_cut.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            if count == 0 || to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        from.close();
        to.close();
    });
}
